/** Goal: the log's output is bounded, and says what it has dropped (C-51). Method: a sink that stalls, fails, or writes in parts. */
import { expect, test } from 'vitest';
import { LogOutput, type Sink } from '../../../src/server/process/log-output.ts';

/** @returns a sink that a test opens and closes, and what it has written. */
function testSink() {
  const written: string[] = [];
  let isOpen = true;
  let open = () => {};
  let opening = Promise.resolve();
  const sink: Sink = async (bytes) => {
    if (!isOpen) await opening;
    written.push(bytes.toString());
    return bytes.length;
  };
  return {
    sink,
    text: () => written.join(''),
    close: () => {
      isOpen = false;
      opening = new Promise((resolve) => {
        open = resolve;
      });
    },
    open: () => {
      isOpen = true;
      open();
    },
  };
}

test('lines are written in order, waiting ones in one piece', async () => {
  const { sink, text } = testSink();
  const output = new LogOutput(sink);
  for (const line of ['1\n', '2\n', '3\n']) output.write(line);
  await output.drain(10_000);
  expect(text()).toBe('1\n2\n3\n');
});

test('while the reader stalls, lines wait up to a limit; the others are counted, and their count is a line', async () => {
  const { sink, text, close, open } = testSink();
  const output = new LogOutput(sink, { waitingMax: 10 });
  close();
  // The first is being written, five wait, and fourteen are dropped.
  for (let n = 0; n < 20; n++) output.write(`${n % 10}\n`);
  open();
  await output.drain(10_000);
  const [first, dropped = '', ...others] = text().trimEnd().split('\n');
  expect([first, ...others]).toEqual(['0', '1', '2', '3', '4', '5']);
  expect(JSON.parse(dropped)).toMatchObject({ level: 40, dropped: 14 });
});

test('lines that a full disk refuses are written once there is room, from where they were cut off', async () => {
  let room = 3;
  let text = '';
  const sink: Sink = async (bytes) => {
    if (room === 0) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    const part = bytes.subarray(0, room).toString();
    room -= part.length;
    text += part;
    return part.length;
  };
  const output = new LogOutput(sink, { retryMs: 1 });
  output.write('{"a":1}\n');
  await expect.poll(() => text).toBe('{"a');
  room = 1_000;
  await output.drain(10_000);
  expect(text).toBe('{"a":1}\n');
});

test('the end waits for a stalled reader no longer than its limit', async () => {
  const { sink, close } = testSink();
  const output = new LogOutput(sink);
  close();
  output.write('1\n');
  output.write('2\n');
  await output.drain(10);
  expect(output.removeBuffered()).toBe('2\n');
});
