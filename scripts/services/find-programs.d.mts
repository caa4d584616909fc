export function findPrograms(log: (line: string) => void): {
  redisServer: string;
  initdb: string;
  postgres: string;
};
