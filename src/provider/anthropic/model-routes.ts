import { APIError } from '@anthropic-ai/sdk';

/** Statuses of a server that has no such route. */
const noRoute: readonly (number | undefined)[] = [404, 405, 501];

/**
 * Whether a server does not have the Models API. The API's own 404 for a model names it; a gateway's
 * for a route does not. Pure.
 *
 * @param model that was asked for; absent: the list was.
 */
export function lacksRoute(error: unknown, model?: string): boolean {
  if (!(error instanceof APIError) || !noRoute.includes(error.status)) return false;
  return model === undefined || !deniesModel(error, model);
}

/** Whether a provider says that it has no such model. Pure. */
export function deniesModel(error: unknown, model: string): boolean {
  return (
    error instanceof APIError &&
    error.status === 404 &&
    error.type === 'not_found_error' &&
    namesModel(error.apiMessage ?? error.message, model)
  );
}

/** `model: claude-x`, and not a route that ends with the name, as `/v1/models/claude-x`. */
function namesModel(said: string, model: string): boolean {
  const at = said.indexOf(model);
  return at >= 0 && said[at - 1] !== '/';
}
