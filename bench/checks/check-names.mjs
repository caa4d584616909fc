export const checkNames = ['steps', 'cache', 'resume', 'crash', 'idle', 'files', 'rest', 'client'];
