import { createInterface } from 'node:readline';

/** Asks the person at the terminal. Anything but a yes is a no, and so are Ctrl-C and Ctrl-D. */
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
