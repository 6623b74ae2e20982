/** Goal: JSON of others loses no more than the characters that cannot be stored. Method: texts with each kind of escape. */
import { expect, test } from 'vitest';
import { storableJson } from '../../../src/base/text/storable-json.ts';

test.each([
  ['nothing', '{"a":"b"}', { a: 'b' }],
  ['NUL', String.raw`{"a":"x\u0000y","b":1}`, { a: 'x\ufffdy', b: 1 }],
  ['a name with NUL', String.raw`{"\u0000":1}`, { '\ufffd': 1 }],
  ['the first half of a pair', String.raw`{"a":"\ud83d!"}`, { a: '\ufffd!' }],
  ['the second half of a pair', String.raw`{"a":"\uDE00"}`, { a: '\ufffd' }],
  ['halves in the wrong order', String.raw`{"a":"\ude00\ud83d"}`, { a: '\ufffd\ufffd' }],
  ['a pair', String.raw`{"a":"\ud83d\ude00"}`, { a: '😀' }],
  ['a half before a pair', String.raw`{"a":"\ud83d\ud83d\ude00"}`, { a: '\ufffd😀' }],
  ['an escaped backslash before the digits', String.raw`{"a":"\\u0000\\ud800"}`, { a: '\\u0000\\ud800' }],
  ['two backslashes and NUL', String.raw`{"a":"\\\u0000"}`, { a: '\\\ufffd' }],
  ['other escapes', String.raw`{"a":"\u00e9\n\""}`, { a: 'é\n"' }],
])('%s', (_name, text, value) => {
  expect(JSON.parse(storableJson(text))).toEqual(value);
});
