import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type ChatInit,
  type ChatState,
  type ChatStatus,
  type ChatTransport,
  type UIMessage,
} from 'ai';

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

/** The package's chat over its own transport: `useChat` without a page. */
export class HeadlessChat extends AbstractChat<UIMessage> {
  /** Bodies of the requests that were sent, in order. */
  readonly sent: Record<string, unknown>[];
  readonly #state: HeadlessState;

  constructor({ url, body, key, transport: own, isManual, messages, ...init }: Options) {
    const state = new HeadlessState();
    const sent: Record<string, unknown>[] = [];
    state.messages = messages ?? [];
    const transport = new DefaultChatTransport<UIMessage>({
      api: `${url}/api/chat`,
      ...(body === undefined ? {} : { body }),
      ...(key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }),
      fetch: (target, request) => {
        if (typeof request?.body === 'string') {
          sent.push(JSON.parse(request.body) as Record<string, unknown>);
        }
        return fetch(target, request);
      },
    });
    super({
      ...init,
      state,
      transport: own ?? transport,
      ...(isManual === true
        ? {}
        : {
            sendAutomaticallyWhen: (chat: { messages: UIMessage[] }) =>
              lastAssistantMessageIsCompleteWithApprovalResponses(chat) ||
              lastAssistantMessageIsCompleteWithToolCalls(chat),
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
}
