import type { ChatCall } from 'turnpike/client/react';
import { Icon, type IconName } from './icon.tsx';

const looks: Record<ChatCall['status'], { icon: IconName; says: string }> = {
  requested: { icon: 'dots', says: 'is about to run' },
  running: { icon: 'dots', says: 'runs' },
  waiting: { icon: 'hand', says: 'waits for you' },
  success: { icon: 'check', says: 'done' },
  error: { icon: 'cross', says: 'failed' },
  denied: { icon: 'cross', says: 'denied' },
  unknown: { icon: 'cross', says: 'was cut off: its outcome is unknown' },
};

/** A tool call in a line, which opens to its input and its result. */
export function ToolLine({ call }: { call: ChatCall }) {
  const { name, input, json, status, output, progress } = call;
  const { icon, says } = looks[status];
  return (
    <details className={`tool ${status}`}>
      <summary>
        <Icon name={icon} />
        <code>{name}</code> <span>{progress ?? says}</span>
      </summary>
      <pre tabIndex={0} aria-label={`Input of ${name}`}>
        {input === undefined ? json : JSON.stringify(input, null, 2)}
      </pre>
      {output !== null && (
        <pre tabIndex={0} aria-label={`Result of ${name}`}>
          {output}
        </pre>
      )}
    </details>
  );
}
