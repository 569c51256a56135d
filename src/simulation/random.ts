// Numbers that look random and are the same for the same seed in every process: sfc32, seeded by splitmix32. Not for secrets.

export interface Random {
  /** Uniform in [0, 1). */
  fraction(): number;
  /** Uniform whole number from 0 to `below` − 1. */
  below(below: number): number;
}

const UINT32 = 4_294_967_296;
/** The first numbers of sfc32 still show the seed. */
const WARM_UP = 12;

export function randomOf(seed: number): Random {
  let state = Math.floor(seed) ^ Math.floor(seed / UINT32);
  const seeded = () => {
    state = (state + 0x9e3779b9) | 0;
    const mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    return (mixed ^ (mixed >>> 15)) | 0;
  };
  let [a, b, c, counter] = [seeded(), seeded(), seeded(), 1];
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let turn = 0; turn < WARM_UP; turn += 1) next();
  const fraction = () => next() / UINT32;
  return { fraction, below: (below) => Math.floor(fraction() * below) };
}
