export const checkNames = ['steps', 'resume', 'crash', 'idle', 'files', 'client'];
