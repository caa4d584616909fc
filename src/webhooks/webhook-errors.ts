import { invalidRequest, TypedError } from '../errors/typed-error.js';

export function webhookNotFound(id: string): TypedError {
  return new TypedError('WEBHOOK_NOT_FOUND', {
    message: `There is no webhook ${id.slice(0, 60)}. GET /api/harness/webhooks lists those there are.`,
  });
}

export function webhookLimit(most: number): TypedError {
  return new TypedError('WEBHOOK_LIMIT', {
    message:
      most === 0
        ? 'This server takes no webhooks: its TURNPIKE_WEBHOOKS_PER_PRINCIPAL is 0.'
        : `${most} webhooks are there already. Delete one, or raise TURNPIKE_WEBHOOKS_PER_PRINCIPAL.`,
    details: { most },
  });
}

/** @param problem completes "The URL of a webhook …". */
export function webhookUrlRefused(problem: string): TypedError {
  return new TypedError('WEBHOOK_URL_REFUSED', { message: `The URL of a webhook ${problem}.` });
}

export function nothingToChange(): TypedError {
  return invalidRequest("Give what is to change: 'url', 'events', 'description' or 'enabled'");
}

export function webhookDisabled(id: string): TypedError {
  return new TypedError('WEBHOOK_DISABLED', {
    message: `The webhook ${id} is disabled, and nothing is sent to it. Enable it first: PATCH /api/harness/webhooks/${id} with {"enabled":true}.`,
  });
}

export function deliveryNotFound(id: string): TypedError {
  return new TypedError('WEBHOOK_DELIVERY_NOT_FOUND', {
    message: `The webhook has no delivery ${id.slice(0, 80)}, or it is not kept any more. GET /api/harness/webhooks/{id}/deliveries lists those there are.`,
  });
}
