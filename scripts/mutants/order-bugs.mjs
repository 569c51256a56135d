// Seeded bugs in what operators order: pauses, and gates that they closed.

export const ORDER_BUGS = [
  {
    name: 'what is paused is sent',
    edits: [
      [
        'domain/plan.ts',
        'if (pause !== null) return pausedBy(pause);',
        "if (pause !== null && row.channel === 'push') return pausedBy(pause);",
      ],
    ],
  },
  {
    name: 'what a pause held is never let go',
    edits: [
      [
        'topology/sweep.ts',
        'return !engine.pauses.has(pause) && !engine.pauses.has(ofChannel);',
        "return !engine.pauses.has(pause) && ofChannel === 'channel:push';",
      ],
    ],
  },
  {
    name: 'a gate that an operator closed lets everybody through',
    edits: [
      [
        'topology/engine.ts',
        'engine.operatorGates.view(providerKey, fraction) ?? engine.gates.view(providerKey, fraction)',
        'engine.gates.view(providerKey, fraction)',
      ],
    ],
  },
];
