/** Turns of the event loop, counted. */
export function countTurns(): { readonly now: () => number; readonly end: () => void } {
  let count = 0;
  let next: NodeJS.Immediate;
  const turn = () => {
    count += 1;
    next = setImmediate(turn);
  };
  next = setImmediate(turn);
  return { now: () => count, end: () => clearImmediate(next) };
}
