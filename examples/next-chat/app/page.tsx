import { Chat } from './chat';

/** The address names the chat: `/?chat=my-chat`. */
export default async function Page({ searchParams }: { searchParams: Promise<{ chat?: string }> }) {
  const { chat = 'my-chat' } = await searchParams;
  return <Chat id={chat} usesTokens={process.env['TURNPIKE_API_KEY'] !== undefined} />;
}
