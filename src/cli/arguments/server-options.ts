/** The option of every command that talks to a server. */
export const serverOptions = { url: { type: 'string' } } as const;

/** The options of commands that may start a server. */
export const startOptions = { ...serverOptions, start: { type: 'boolean' } } as const;
