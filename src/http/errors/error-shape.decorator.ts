import { applyDecorators, SetMetadata } from '@nestjs/common';
import { Reflector, type DiscoveryService } from '@nestjs/core';
import { ApiExtraModels } from '@nestjs/swagger';
import type { ErrorShape } from './error-shape.js';
import { findHandlers } from '../find-handlers.js';

const ERROR_SHAPE = 'turnpike:error-shape';

/**
 * The shape of errors of a controller's routes, for clients that do not parse `{error: …}`. Paths below
 * its prefix and its routes have it too, even where there is no such route.
 */
export const ErrorsAs = (shape: ErrorShape): ClassDecorator =>
  applyDecorators(SetMetadata(ERROR_SHAPE, shape), ApiExtraModels(...shape.models));

export interface ShapedPaths {
  /** A controller's prefix, and the pattern of one of its routes. */
  patterns: readonly string[];
  /** Undefined: the usual shape. */
  shape: ErrorShape | undefined;
}

/** Finds the declared shapes of all routes. */
export function findShapedPaths(
  discovery: Pick<DiscoveryService, 'getControllers'>,
): ShapedPaths[] {
  const reflector = new Reflector();
  return findHandlers(discovery).map(({ controller, patterns, prefixes }) => ({
    patterns: [...prefixes, ...patterns],
    shape: reflector.get<ErrorShape | undefined>(ERROR_SHAPE, controller),
  }));
}
