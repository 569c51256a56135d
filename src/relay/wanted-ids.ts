// Ids that were announced and not taken up yet, within a limit: beyond it the table itself is the list, and a look is asked for.

export const MAX_WANTED_IDS = 10_000;

export interface WantedIds {
  /** Empty `ids`: something is there. */
  add(ids: readonly string[]): void;
  take(limit: number): readonly string[];
  /** True once after more was announced than is kept here. */
  takeLook(): boolean;
  isQuiet(): boolean;
}

export function wantedIds(): WantedIds {
  const wanted = new Set<string>();
  let needsLook = false;
  return {
    add(ids) {
      if (ids.length === 0 || wanted.size + ids.length > MAX_WANTED_IDS) needsLook = true;
      else for (const id of ids) wanted.add(id);
    },
    take(limit) {
      const taken: string[] = [];
      for (const id of wanted) {
        if (taken.length >= limit) break;
        taken.push(id);
        wanted.delete(id);
      }
      return taken;
    },
    takeLook() {
      const needed = needsLook;
      needsLook = false;
      return needed;
    },
    isQuiet: () => wanted.size === 0 && !needsLook,
  };
}
