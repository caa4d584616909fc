import { invalidRequest, TypedError } from '../../errors/typed-error.js';

export function webhookNotFound(id: string): TypedError {
  return new TypedError('WEBHOOK_NOT_FOUND', {
    message: `There is no webhook ${id.slice(0, 60)}. GET /api/harness/webhooks lists yours.`,
  });
}

export function webhookLimit(most: number): TypedError {
  return new TypedError('WEBHOOK_LIMIT', {
    message:
      most === 0
        ? 'Webhooks are off on this server (TURNPIKE_WEBHOOKS_PER_PRINCIPAL=0).'
        : `You have ${most} webhooks already, which is the limit. Delete one, or raise TURNPIKE_WEBHOOKS_PER_PRINCIPAL.`,
    details: { most },
  });
}

/** @param problem completes "The URL of a webhook …". */
export function webhookUrlRefused(problem: string): TypedError {
  return new TypedError('WEBHOOK_URL_REFUSED', { message: `The URL of a webhook ${problem}.` });
}

export function nothingToChange(): TypedError {
  return invalidRequest("Send at least one of 'url', 'events', 'description' and 'enabled'");
}

export function webhookDisabled(id: string): TypedError {
  return new TypedError('WEBHOOK_DISABLED', {
    message: `The webhook ${id} is disabled, and nothing is sent to it. Enable it first: PATCH /api/harness/webhooks/${id} with {"enabled":true}.`,
  });
}

export function deliveryNotFound(id: string): TypedError {
  return new TypedError('WEBHOOK_DELIVERY_NOT_FOUND', {
    message: `The webhook has no delivery ${id.slice(0, 80)}, or it is no longer kept. GET /api/harness/webhooks/{id}/deliveries lists its deliveries.`,
  });
}
