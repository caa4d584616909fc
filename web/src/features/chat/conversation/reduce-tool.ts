import type { HarnessFrames } from '#src/wires/harness/dialect/harness-frames.js';
import { compact } from '#src/platform/compact.js';
import { emptyTurn, type Item, type ToolItem, type TurnView } from './turn-view.js';

type ToolFrameName =
  | 'tool:request'
  | 'tool:args'
  | 'tool:start'
  | 'tool:progress'
  | 'tool:result'
  | 'approval:request'
  | 'approval:resolve'
  | 'subagent:start'
  | 'subagent:end';

/** The fields that a view takes from each frame. The end of a stored call has no duration, and may have no output. */
export type ViewFrames = Omit<HarnessFrames, 'tool:result'> & {
  'tool:result': Pick<HarnessFrames['tool:result'], 'toolUseId' | 'name' | 'status'> &
    Partial<Pick<HarnessFrames['tool:result'], 'output' | 'durationMs' | 'files'>>;
};

type ToolFrame = {
  [Name in ToolFrameName]: { event: Name; data: ViewFrames[Name] };
}[ToolFrameName];

/** The view after a frame about a tool call. Pure. */
export function reduceTool(view: TurnView, frame: ToolFrame): TurnView {
  switch (frame.event) {
    case 'tool:request':
      return withTool(view, frame.data, (tool) => ({ ...tool, step: frame.data.step }));
    case 'tool:args':
      return withTool(view, frame.data, (tool) => ({ ...tool, json: tool.json + frame.data.json }));
    case 'tool:start':
      return withTool(view, frame.data, (tool) => ({
        ...tool,
        input: frame.data.input,
        status: 'running',
      }));
    case 'tool:progress': {
      const { note, elapsedMs } = frame.data;
      return withTool(view, frame.data, (tool) => ({ ...tool, note, elapsedMs }));
    }
    case 'tool:result': {
      const { status, output, durationMs, files } = frame.data;
      const end = compact({ status, output, durationMs, files });
      return withTool(view, frame.data, (tool) => ({ ...tool, ...end }));
    }
    case 'approval:request':
      return withTool(view, frame.data, (tool) => ask(tool, frame.data));
    case 'approval:resolve':
      return withTool(view, frame.data, (tool) => answer(tool, frame.data));
    case 'subagent:start': {
      const { childTurnId, agent } = frame.data;
      const child: TurnView = { ...emptyTurn(childTurnId, 'queued'), agent };
      // A parent that was recovered announces a running subagent again.
      return withTool(view, frame.data, (tool) => ({ ...tool, child: tool.child ?? child }));
    }
    case 'subagent:end':
      return withTool(view, frame.data, (tool) => endChild(tool, frame.data));
  }
}

/** Changes a tool call of the view, or adds it. */
function withTool(
  view: TurnView,
  { toolUseId, name }: { toolUseId: string; name?: string },
  change: (tool: ToolItem) => ToolItem,
): TurnView {
  const at = view.items.findIndex((item) => item.kind === 'tool' && item.key === toolUseId);
  const found = view.items[at];
  if (found?.kind === 'tool') {
    const tool = change(name === undefined ? found : { ...found, name });
    return { ...view, items: view.items.with(at, tool) };
  }
  const fresh: ToolItem = {
    kind: 'tool',
    key: toolUseId,
    step: view.step,
    name: name ?? 'tool',
    json: '',
    status: 'requested',
  };
  return { ...view, items: [...closeLast(view.items), change(fresh)] };
}

function closeLast(items: readonly Item[]): readonly Item[] {
  const last = items.at(-1);
  if (last?.kind !== 'text' && last?.kind !== 'thinking') return items;
  return last.isOpen ? [...items.slice(0, -1), { ...last, isOpen: false }] : items;
}

function ask(tool: ToolItem, question: HarnessFrames['approval:request']): ToolItem {
  const { answer: _earlier, ...rest } = tool;
  return { ...rest, input: question.input, status: 'asked', asked: question };
}

function answer(tool: ToolItem, resolved: HarnessFrames['approval:resolve']): ToolItem {
  const { decision, by, message, input } = resolved;
  return {
    ...tool,
    status: tool.status === 'asked' ? 'requested' : tool.status,
    answer: compact({ decision, by, message, input }),
  };
}

function endChild(tool: ToolItem, { outcome, usage }: HarnessFrames['subagent:end']): ToolItem {
  if (tool.child === undefined) return tool;
  return { ...tool, child: { ...tool.child, phase: 'ended', outcome, usage } };
}
