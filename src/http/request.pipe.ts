import {
  Injectable,
  ValidationPipe,
  type ArgumentMetadata,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { formOf } from './request-form.decorator.js';
import { wordFaults } from './errors/word-faults.js';

/** The rules that a request breaks, before they are put in the words of its wire. */
class BrokenRules {
  constructor(readonly errors: ValidationError[]) {}
}

/**
 * Validates bodies, queries and parameters by the class of the handler's parameter, and makes instances
 * of it. `RequestForm` of the class says how faults are told.
 */
@Injectable()
export class RequestPipe implements PipeTransform {
  readonly #open = validationPipe(false);
  readonly #closed = validationPipe(true);

  /** @throws TypedError INVALID_REQUEST 400, or 422 with the list of faults. */
  async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const form = formOf(metadata.metatype);
    try {
      const pipe = form.closed === undefined ? this.#open : this.#closed;
      return await pipe.transform(value, metadata);
    } catch (thrown) {
      throw thrown instanceof BrokenRules ? wordFaults(thrown.errors, form, value) : thrown;
    }
  }
}

function validationPipe(forbidNonWhitelisted: boolean): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    // A field that a rule makes absent keeps its initial value.
    transformOptions: { exposeUnsetFields: false },
    whitelist: true,
    forbidNonWhitelisted,
    validationError: { target: true, value: true },
    exceptionFactory: (errors) => new BrokenRules(errors),
  });
}

const pipe = new RequestPipe();

/**
 * Validates what does not come as a handler's parameter, and makes an instance of its class.
 *
 * @throws TypedError as `RequestPipe` does.
 */
export async function takeRequest<T>(metatype: Type<T>, value: unknown): Promise<T> {
  return (await pipe.transform(value, { type: 'body', metatype })) as T;
}
