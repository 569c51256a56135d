// Seeded bugs in what follows when processes die: who is suspected, who runs alone, who is left alone and kept.

export const DEATH_BUGS = [
  {
    name: 'who was in flight at two deaths is left alone',
    edits: [
      [
        'domain/deaths.ts',
        'const guilty = deaths >= DEATHS_UNTIL_DEADLY ? before.alone : null;',
        'const guilty = deaths >= DEATHS_UNTIL_DEADLY - 1 ? (before.alone ?? before.inFlight[0] ?? null) : null;',
      ],
    ],
  },
  {
    name: 'what is left alone is not kept',
    edits: [
      [
        'topology/dead-letters.ts',
        'if (isKept) await quarantineRecord(',
        'if (isKept && record.offset < 0) await quarantineRecord(',
      ],
    ],
  },
  {
    name: 'an operator’s pardon is not heard',
    edits: [
      [
        'topology/care.ts',
        '    if (now.deadly.includes(laneKey)) return true;\n    deadly.delete(laneKey);\n    return false;\n',
        '    return now.deadly.includes(laneKey) || deadly.has(laneKey);\n',
      ],
    ],
  },
  {
    name: 'the intake stays closed when nobody is alone any more',
    edits: [['topology/quiet-room.ts', '    isOpen = true;\n    deps.onOpen();\n', '    deps.onOpen();\n']],
  },
  {
    name: 'a take-over whose answer was lost never begins',
    edits: [
      [
        'topology/lives.ts',
        '      if (before?.life === next.life) return before;\n',
        "      if (before?.life === next.life) return await new Promise<null>(() => 'never');\n",
      ],
    ],
  },
];
