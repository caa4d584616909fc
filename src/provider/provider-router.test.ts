import { describe, expect, it } from '@jest/globals';
import type { ModelCall, ModelRequest } from './model-types.js';
import { ModelProvider } from './model-provider.js';
import { ProviderRouter } from './provider-router.js';

/** A place that has every model, and writes down by which name it was asked. */
class Place extends ModelProvider {
  readonly mode = 'anthropic';
  readonly asked: string[] = [];

  assertReady(): void {
    return undefined;
  }
  modelLabel(model: string): string {
    return model;
  }
  async checkModel(model: string): Promise<void> {
    this.asked.push(model);
  }
  async listModels() {
    return [];
  }
  async describeModel(id: string) {
    this.asked.push(id);
    return { id, name: id, aliases: [], contextWindow: 1, maxOutput: 1 } as never;
  }
  async countTokens({ model }: ModelRequest): Promise<number> {
    this.asked.push(model);
    return 1;
  }
  stream(): ModelCall {
    throw new Error('Nothing is streamed here');
  }
}

describe('ProviderRouter', () => {
  const { signal } = new AbortController();

  it('asks a place by its own name of a model, and names the model with its place', async () => {
    const [first, other] = [new Place(), new Place()];
    const router = new ProviderRouter(first, new Map(), new Map([['bedrock', other]]));
    const name = 'bedrock/claude-opus-4-8';
    await router.checkModel(name);
    expect(await router.describeModel(name, signal)).toMatchObject({ id: name });
    const request = { model: name, system: '', messages: [], tools: [], maxTokens: 1 };
    await router.countTokens(request, signal);
    expect(other.asked).toEqual(Array(3).fill('claude-opus-4-8'));
    await router.countTokens({ ...request, model: 'claude-opus-4-8' }, signal);
    expect(first.asked).toEqual(['claude-opus-4-8']);
  });
});
