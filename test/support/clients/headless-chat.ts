import type { ChatInit, ChatState, ChatStatus, ChatTransport, UIMessage } from 'ai';
import {
  aiSdkVersions,
  VERSION_FIELD,
  type AiSdkVersion,
} from '../../../src/wires/ai-sdk/dialect/ai-sdk-version.js';
import { aiPackages } from './read-ui-message.js';

class HeadlessState implements ChatState<UIMessage> {
  error: Error | undefined;
  #status: ChatStatus = 'ready';
  #messages: UIMessage[] = [];
  #listeners: (() => void)[] = [];

  get status(): ChatStatus {
    return this.#status;
  }

  set status(status: ChatStatus) {
    this.#status = status;
    this.#notify();
  }

  get messages(): UIMessage[] {
    return this.#messages;
  }

  set messages(messages: UIMessage[]) {
    this.#messages = messages;
    this.#notify();
  }

  pushMessage = (message: UIMessage): void => {
    this.messages = [...this.#messages, message];
  };

  popMessage = (): void => {
    this.messages = this.#messages.slice(0, -1);
  };

  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages = this.#messages.with(index, structuredClone(message));
  };

  snapshot = <T>(thing: T): T => structuredClone(thing);

  async until(test: () => boolean): Promise<void> {
    while (!test()) await new Promise<void>((resolve) => this.#listeners.push(resolve));
  }

  #notify(): void {
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

type Options = Omit<ChatInit<UIMessage>, 'transport' | 'sendAutomaticallyWhen'> & {
  url: string;
  body?: object;
  /** An API key. */
  key?: string;
  /** Default: the package's own. */
  transport?: ChatTransport<UIMessage>;
  /** Whether nothing is sent automatically. */
  isManual?: boolean;
};

/** The transport of a version's package, which names the version. */
export function packageTransport(
  version: AiSdkVersion,
  { url, body, key }: Pick<Options, 'url' | 'body' | 'key'>,
  send: typeof fetch = fetch,
): ChatTransport<UIMessage> {
  const { DefaultChatTransport } = aiPackages[version];
  return new DefaultChatTransport<UIMessage>({
    api: `${url}/api/chat`,
    ...(body === undefined ? {} : { body }),
    headers: {
      ...(version === '6' ? {} : { [VERSION_FIELD]: version }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    fetch: send,
  });
}

/** The chat of a version's package over its own transport: `useChat` without a page. */
function chatOf(version: AiSdkVersion) {
  const {
    AbstractChat,
    lastAssistantMessageIsCompleteWithApprovalResponses: hasAnswers,
    lastAssistantMessageIsCompleteWithToolCalls: hasOutputs,
  } = aiPackages[version];
  return class extends AbstractChat<UIMessage> {
    /** Bodies of the requests that were sent, in order. */
    readonly sent: Record<string, unknown>[];
    readonly #state: HeadlessState;

    constructor({ transport: own, isManual, messages, url, body, key, ...init }: Options) {
      const state = new HeadlessState();
      const sent: Record<string, unknown>[] = [];
      state.messages = messages ?? [];
      const to = { url, ...(body && { body }), ...(key !== undefined && { key }) };
      const transport = packageTransport(version, to, (target, request) => {
        if (typeof request?.body === 'string') {
          sent.push(JSON.parse(request.body) as Record<string, unknown>);
        }
        return fetch(target, request);
      });
      super({
        ...init,
        state,
        transport: own ?? transport,
        ...(isManual === true
          ? {}
          : {
              sendAutomaticallyWhen: (chat: { messages: UIMessage[] }) =>
                hasAnswers(chat) || hasOutputs(chat),
            }),
      });
      this.#state = state;
      this.sent = sent;
    }

    until(test: () => boolean): Promise<void> {
      return this.#state.until(test);
    }

    /** Waits until nothing is sent or received, and the answer says how its turn ended. */
    async ended(): Promise<void> {
      await this.until(() => this.isIdle() && this.metadata['outcome'] !== undefined);
    }

    isIdle(): boolean {
      return this.status === 'ready' || this.status === 'error';
    }

    get parts(): UIMessage['parts'] {
      return this.lastMessage?.parts ?? [];
    }

    get metadata(): Record<string, unknown> {
      return (this.lastMessage?.metadata ?? {}) as Record<string, unknown>;
    }

    get text(): string {
      return this.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    }

    /** The parts of a type, field by field. */
    partsOf(type: string): Record<string, unknown>[] {
      return this.parts.filter((part) => part.type === type);
    }
  };
}

export type HeadlessChat = InstanceType<ReturnType<typeof chatOf>>;

/** The chats of all versions, for suites that run over each. */
export const headlessChats = Object.fromEntries(
  aiSdkVersions.map((version) => [version, chatOf(version)]),
) as Record<AiSdkVersion, ReturnType<typeof chatOf>>;

export const HeadlessChat = headlessChats['6'];

/** Runs a test over each version at once: for turns that last for seconds. */
export async function inEachVersion(test: (version: AiSdkVersion) => Promise<void>): Promise<void> {
  await Promise.all(
    aiSdkVersions.map((version) =>
      test(version).catch((cause: unknown) => {
        throw new Error(`It failed with version ${version}`, { cause });
      }),
    ),
  );
}
