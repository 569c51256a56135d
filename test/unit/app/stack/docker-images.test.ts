import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { IMAGES } from '../../../../src/app/stack/docker-images.ts';

describe('the images of the servers', () => {
  const compose = readFileSync(new URL('../../../../docker-compose.yml', import.meta.url), 'utf8');

  it.each(Object.entries(IMAGES))('%s is the same in tests and in docker-compose.yml', (_, image) => {
    expect(compose).toContain(`image: ${image}\n`);
  });

  it('every published port of docker-compose.yml is on loopback', () => {
    const ports = [...compose.matchAll(/^\s+- "(\S+:\d+:\d+)"$/gm)].map((match) => match[1]);
    expect(ports).toHaveLength(5);
    expect(ports.filter((port) => port?.startsWith('127.0.0.1:') !== true)).toEqual([]);
  });
});
