import { MetadataScanner, type DiscoveryService } from '@nestjs/core';

/** Nest's own metadata key: the paths of a controller, and of a handler under it. */
const PATH = 'path';

type Target = abstract new (...parameters: never[]) => object;

/** A method of a controller that handles a route. */
export interface RouteHandler {
  /** Controller and method: `TurnController.postTurn`. */
  name: string;
  controller: Target;
  handler: () => unknown;
  /** In the framework's form: `/api/harness/turns/:id`. */
  patterns: string[];
  /** The controller's own patterns, which those of its handlers begin with. */
  prefixes: string[];
}

/** Finds the handlers of all controllers of the application. */
export function findHandlers(discovery: Pick<DiscoveryService, 'getControllers'>): RouteHandler[] {
  const scanner = new MetadataScanner();
  return discovery.getControllers().flatMap(({ metatype }) => {
    if (typeof metatype !== 'function') return [];
    const controller = metatype as Target;
    const prefixes = pathsOf(controller).map((prefix) => joinPaths(prefix));
    const methods = controller.prototype as Record<string, () => unknown>;
    return scanner.getAllMethodNames(methods).flatMap((method) => {
      const handler = methods[method];
      const paths = handler === undefined ? [] : pathsOf(handler);
      if (handler === undefined || paths.length === 0) return [];
      const patterns = prefixes.flatMap((prefix) => paths.map((path) => joinPaths(prefix, path)));
      return [{ name: `${controller.name}.${method}`, controller, handler, patterns, prefixes }];
    });
  });
}

function pathsOf(target: object): string[] {
  const paths = Reflect.getMetadata(PATH, target) as string | string[] | undefined;
  return [paths ?? []].flat();
}

function joinPaths(...paths: string[]): string {
  const parts = paths.flatMap((path) => path.split('/')).filter((part) => part !== '');
  return `/${parts.join('/')}`;
}
