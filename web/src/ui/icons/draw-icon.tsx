import type { ComponentType, SVGProps } from 'react';

export type Icon = ComponentType<SVGProps<SVGSVGElement> & { size?: number }>;

/** An icon of lines on a field of 24 by 24, one for each path. */
export function drawIcon(...paths: readonly string[]): Icon {
  return function Drawn({ size = 24, ...rest }) {
    return (
      <svg
        xmlns="http://www.w3.org/2000/svg"
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={2}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden
        {...rest}
      >
        {paths.map((path) => (
          <path key={path} d={path} />
        ))}
      </svg>
    );
  };
}

/** The path of a circle around a point. */
export function circle(x: number, y: number, radius: number): string {
  const half = (way: number): string => `a${radius} ${radius} 0 1 0 ${way * 2 * radius} 0`;
  return `M${x - radius} ${y}${half(1)}${half(-1)}`;
}

/** The path of a rectangle with round corners. */
export function box(x: number, y: number, width: number, height: number, radius: number): string {
  const corner = (right: number, down: number): string =>
    `a${radius} ${radius} 0 0 1 ${right * radius} ${down * radius}`;
  const [across, down] = [width - 2 * radius, height - 2 * radius];
  return [
    `M${x + radius} ${y}h${across}${corner(1, 1)}`,
    `v${down}${corner(-1, 1)}`,
    `h${-across}${corner(-1, -1)}`,
    `v${-down}${corner(1, -1)}z`,
  ].join('');
}
