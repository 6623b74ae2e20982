/** What both processes of the fan-out benchmark do: tasks come as messages, answers go back. */

/** Does tasks by name, one after another. */
// biome-ignore lint/suspicious/noExplicitAny: each task has values of its own
export function answerTasks(tasks: Readonly<Record<string, (...values: any[]) => Promise<unknown>>>): void {
  process.on('message', async ([task, ...values]: [string, ...unknown[]]) => {
    try {
      process.send?.({ result: await tasks[task]?.(...values) });
    } catch (error) {
      process.send?.({ error: String(error) });
    }
  });
}

/** Waits until what nobody holds is gone from memory. */
export async function collect(): Promise<void> {
  for (let i = 0; i < 4; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
