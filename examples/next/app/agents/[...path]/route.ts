import { turnpike } from '../../../lib/turnpike';

export const dynamic = 'force-dynamic';

const answer = async (request: Request): Promise<Response> => (await turnpike).fetch(request);

export {
  answer as DELETE,
  answer as GET,
  answer as HEAD,
  answer as PATCH,
  answer as POST,
  answer as PUT,
};
