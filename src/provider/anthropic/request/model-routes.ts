import { APIError } from '@anthropic-ai/sdk';

/** Statuses of a server for a route that it does not have. */
const noRoute: readonly (number | undefined)[] = [404, 405, 501];

/**
 * Whether an error says that the server has no Models API. The API's 404 for a model names the model;
 * a gateway's 404 for a route does not. Pure.
 *
 * @param model the model asked for; absent for a list.
 */
export function lacksRoute(error: unknown, model?: string): boolean {
  if (!(error instanceof APIError) || !noRoute.includes(error.status)) return false;
  return model === undefined || !deniesModel(error, model);
}

/** Whether an error says that the provider does not have the model. Pure. */
export function deniesModel(error: unknown, model: string): boolean {
  return (
    error instanceof APIError &&
    error.status === 404 &&
    error.type === 'not_found_error' &&
    namesModel(error.apiMessage ?? error.message, model)
  );
}

/** Whether a text has the name by itself, not at the end of a route as `/v1/models/claude-x`. */
function namesModel(text: string, model: string): boolean {
  const at = text.indexOf(model);
  return at >= 0 && text[at - 1] !== '/';
}
