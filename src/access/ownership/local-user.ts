/** Whose settings requests read and change while there are no API keys. */
export const LOCAL_USER = 'local';
