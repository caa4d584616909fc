import { createInterface } from 'node:readline';

/** Asks at the terminal. True for `y` or `yes` alone; Ctrl-C and Ctrl-D are a no. */
export function confirm(question: string): Promise<boolean> {
  const { stdin: input, stderr: output } = process;
  const reader = createInterface({ input, output });
  return new Promise((resolve) => {
    reader.once('close', () => resolve(false));
    reader.question(question, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()));
      reader.close();
    });
  });
}
