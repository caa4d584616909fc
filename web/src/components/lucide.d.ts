/** An icon's body as SVG, by its name in the collection of Lucide (`web/vite.config.ts`). */
declare module 'lucide:*' {
  const body: string;
  export default body;
}
