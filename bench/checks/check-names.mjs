export const checkNames = [
  'steps',
  'cache',
  'grow',
  'resume',
  'crash',
  'idle',
  'files',
  'rest',
  'scale',
  'sessions',
  'client',
];
