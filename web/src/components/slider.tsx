import * as Radix from '@radix-ui/react-slider';

/** A value within bounds. `labelledBy` is its label's id. With a `valueText` in place of the number, its range is pale. */
export function Slider({
  value,
  min,
  max,
  step,
  labelledBy,
  valueText,
  onChange,
}: {
  value: number;
  min: number;
  max: number;
  step: number;
  labelledBy: string;
  valueText?: string | undefined;
  onChange: (value: number) => void;
}) {
  return (
    <Radix.Root
      value={[Math.min(max, Math.max(min, value))]}
      min={min}
      max={max}
      step={step}
      onValueChange={([next]) => {
        if (next !== undefined) onChange(next);
      }}
      className="relative flex h-6 w-full touch-none items-center select-none"
    >
      <Radix.Track className="relative h-1.5 grow rounded-full bg-line">
        <Radix.Range
          className={`absolute h-full rounded-full ${valueText === undefined ? 'bg-accent' : 'bg-accent/50'}`}
        />
      </Radix.Track>
      <Radix.Thumb
        aria-labelledby={labelledBy}
        aria-valuetext={valueText}
        className="block size-4.5 rounded-full border-2 border-accent bg-panel shadow-sm transition-transform hover:scale-110"
      />
    </Radix.Root>
  );
}
