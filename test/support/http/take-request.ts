import type { Type } from '@nestjs/common';
import { RequestPipe } from '../../../src/http/request.pipe.js';

const pipe = new RequestPipe();

/** A request as its handler gets it. @throws what a client is told of a wrong one. */
export async function takeRequest<T>(
  metatype: Type<T>,
  value: unknown,
  type: 'body' | 'query' = 'query',
): Promise<T> {
  return (await pipe.transform(value, { type, metatype })) as T;
}
