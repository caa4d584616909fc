/** How every command that talks to a server names it. */
export const serverOptions = { url: { type: 'string' } } as const;

/** Of commands that may start one. */
export const startOptions = { ...serverOptions, start: { type: 'boolean' } } as const;
