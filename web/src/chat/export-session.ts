import { client } from '../app/client.js';

/** Saves a session with its turns and files. A link of its own would lack the key. */
export async function exportSession(sessionId: string): Promise<void> {
  const lines = await client().data.exportSession(sessionId);
  const url = URL.createObjectURL(await new Response(lines).blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = `${sessionId}.jsonl`;
  link.click();
  URL.revokeObjectURL(url);
}
