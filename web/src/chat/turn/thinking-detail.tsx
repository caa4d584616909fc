import { Toggle } from '../../ui/toggle.js';
import { efforts, turnOptions, type TurnOptions } from '../composer/turn-options.js';

/** The effort of thinking of the next turn, and whether thinking is shown. */
export function ThinkingDetail({ effort, showsThinking }: TurnOptions) {
  return (
    <>
      <select
        aria-label="Effort"
        value={effort ?? ''}
        onChange={({ target }) => {
          const chosen = efforts.find((level) => level === target.value);
          turnOptions.update(({ effort: _before, ...rest }) => ({
            ...rest,
            ...(chosen === undefined ? {} : { effort: chosen }),
          }));
        }}
        className="h-8 rounded-lg bg-transparent px-1 text-xs text-soft hover:bg-sunken"
      >
        <option value="">Default effort</option>
        {efforts.map((level) => (
          <option key={level} value={level}>
            {level} effort
          </option>
        ))}
      </select>
      <Toggle
        label="Show thinking"
        isOn={showsThinking}
        onChange={(shows) => turnOptions.update((all) => ({ ...all, showsThinking: shows }))}
      />
    </>
  );
}
