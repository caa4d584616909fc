import { describe, expect, it } from '@jest/globals';
import { ResourceStack } from './resource-stack.js';

describe('ResourceStack', () => {
  const closing = (closed: string[]) => async (name: string) => void closed.push(name);

  it('closes in the opposite order, also what comes after a failure', async () => {
    const stack = new ResourceStack();
    const closed: string[] = [];
    await stack.add(Promise.resolve('first'), closing(closed));
    await stack.add(Promise.resolve('second'), async () => {
      throw new Error('it hangs');
    });
    await stack.add(Promise.resolve('third'), closing(closed));
    await expect(stack.close()).rejects.toThrow('it hangs');
    expect(closed).toEqual(['third', 'first']);
  });

  it('closes a resource that opens after another one has failed to', async () => {
    const stack = new ResourceStack();
    const closed: string[] = [];
    let open = (_name: string): void => undefined;
    const late = stack.add(new Promise<string>((resolve) => (open = resolve)), closing(closed));
    const failing = stack.orClose(() =>
      stack.add(Promise.reject(new Error('refused')), closing(closed)),
    );
    await expect(failing).rejects.toThrow('refused');
    open('late');
    await expect(late).rejects.toThrow('Another resource failed to open');
    expect(closed).toEqual(['late']);
  });

  it('throws why the work failed, whatever fails to close after it', async () => {
    const failing = new ResourceStack().orClose(async (stack) => {
      await stack.add(Promise.resolve('first'), () => Promise.reject(new Error('it hangs')));
      throw new Error('The file is not valid');
    });
    await expect(failing).rejects.toThrow('The file is not valid');
  });
});
