// One recipient or several? A list on requested.v1 is a contract violation: fan-out happens before, where each recipient gets its own id.
import type { Channel } from '../domain/channel.ts';

/** True for a JSON array (of any length) and for several addresses in one text. */
export function isRecipientList(channel: Channel, recipient: string): boolean {
  const trimmed = recipient.trim();
  if (isJsonArray(trimmed)) return true;
  // A Web Push subscription is one recipient, whatever its JSON contains.
  if (channel === 'push' && trimmed.startsWith('{')) return false;
  const bare = withoutQuoted(trimmed);
  return channel === 'email' ? hasSeveral(bare, '@') : bare.split(/[,;\r\n]/).filter(isFilled).length > 1;
}

function isJsonArray(text: string): boolean {
  if (!text.startsWith('[') || !text.endsWith(']')) return false;
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Without quoted parts, where an address may hold any character: `"Doe, John" <john@example.com>`. */
function withoutQuoted(text: string): string {
  return text
    .split('"')
    .filter((_, index) => index % 2 === 0)
    .join('');
}

function hasSeveral(text: string, char: string): boolean {
  return text.indexOf(char) !== text.lastIndexOf(char);
}

function isFilled(part: string): boolean {
  return part.trim() !== '';
}
