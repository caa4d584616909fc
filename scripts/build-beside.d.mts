export function buildBeside(
  folder: string,
  build: (making: string) => Promise<void>,
): Promise<void>;
