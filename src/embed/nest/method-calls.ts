import { Injectable, type Type } from '@nestjs/common';
import {
  ContextIdFactory,
  DiscoveryService,
  ExternalContextCreator,
  MetadataScanner,
  ModuleRef,
  type DiscoverableDecorator,
} from '@nestjs/core';
import {
  defineTool,
  ToolFailure,
  type DefinedTool,
  type StandardSchema,
  type ToolResult,
} from '../../tools/define/define-tool.js';
import type { ExtensionCall, ExtensionTool, JsonObject } from '../../tools/extensions/extend.js';

/** What a tool is, beside the method that runs it. `name` is that of the method by default. */
export type TurnpikeToolOptions = Omit<DefinedTool<StandardSchema | JsonObject>, 'run'>;

/**
 * Makes a method of a provider a tool: `(input, call) => result`. It runs with the guards, interceptors and filters of
 * its class and of the application, whose context is of the type `turnpike`: there is no request, and a call may run days
 * after its turn was posted, in another process.
 */
export const TurnpikeTool: DiscoverableDecorator<TurnpikeToolOptions> =
  DiscoveryService.createDecorator<TurnpikeToolOptions>();

/** What `REQUEST` is for a provider whose scope is the request. */
export type TurnpikeCallContext = Pick<
  ExtensionCall,
  'principal' | 'sessionId' | 'turnId' | 'agent'
>;

type Method = (input: unknown, call: ExtensionCall) => unknown;

/** Finds the methods that are tools, and calls them as Nest calls a handler. */
@Injectable()
export class MethodCalls {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly contexts: ExternalContextCreator,
    private readonly modules: ModuleRef,
  ) {}

  /** @throws TypeError for a schema of which no JSON Schema can be made. */
  findTools(): ExtensionTool[] {
    return this.discovery.getProviders().flatMap((wrapper) => {
      const { metatype } = wrapper;
      // A factory's product has no class that could have decorators.
      if (typeof metatype !== 'function' || wrapper.isNotMetatype) return [];
      const type = metatype as Type<Record<string, Method>>;
      return this.scanner.getAllMethodNames(type.prototype as object).flatMap((method) => {
        const options = this.discovery.getMetadataByDecorator(TurnpikeTool, wrapper, method);
        if (options === undefined) return [];
        const isStatic = wrapper.isDependencyTreeStatic();
        return [
          defineTool({
            ...options,
            name: options.name ?? method,
            run: (input, call) => this.#call({ type, method, isStatic }, input, call),
          }),
        ];
      });
    });
  }

  async #call(
    {
      type,
      method,
      isStatic,
    }: { type: Type<Record<string, Method>>; method: string; isStatic: boolean },
    input: unknown,
    call: ExtensionCall,
  ): Promise<ToolResult> {
    const contextId = ContextIdFactory.create();
    const { principal, sessionId, turnId, agent } = call;
    const request: TurnpikeCallContext = { principal, sessionId, turnId, agent };
    this.modules.registerRequestByContextId(request, contextId);
    const anywhere = { strict: false };
    const instance = isStatic
      ? this.modules.get(type, anywhere)
      : await this.modules.resolve(type, contextId, anywhere);
    const handler = instance[method] as (...given: unknown[]) => unknown;
    const run = this.contexts.create(
      instance,
      handler,
      method,
      undefined,
      undefined,
      isStatic ? undefined : contextId,
      undefined,
      { guards: true, interceptors: true, filters: true },
      'turnpike',
    );
    try {
      return (await run(input, call)) as ToolResult;
    } catch (error) {
      throw refusalOf(error) ?? error;
    }
  }
}

/** What a guard refused, as a failure that the model reads: Nest's own errors are made for people. */
function refusalOf(error: unknown): ToolFailure | undefined {
  if (!(error instanceof Error) || typeof Reflect.get(error, 'getStatus') !== 'function')
    return undefined;
  return new ToolFailure(error.message);
}
