/** Evaluates the filter as the kernel does; the probe checks that the kernel loads it. */
import { describe, expect, test } from 'vitest';
import { refusedCalls, seccompFilter } from './seccomp.ts';

const arches = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
const answers = { 0x7fff0000: 'allow', 0x80000000: 'kill', 0x50001: 'EPERM', 0x50026: 'ENOSYS' } as const;

interface Call {
  audit?: number;
  number: number;
  arguments?: readonly number[];
}

/** An interpreter for the instructions that the filter uses. */
function verdictOn(architecture: keyof typeof arches, call: Call): string {
  const program = seccompFilter(architecture);
  if (program === undefined) throw new Error('there is no filter');
  const { audit = arches[architecture], number, arguments: values = [] } = call;
  const data: Record<number, number> = { 0: number, 4: audit };
  for (const [index, value] of values.entries()) data[16 + 8 * index] = value;
  let accumulator = 0;
  for (let at = 0; at < program.length; at += 8) {
    const [operation, value] = [program.readUInt16LE(at), program.readUInt32LE(at + 4)];
    const jump = (condition: boolean) => (at += 8 * program.readUInt8(at + (condition ? 2 : 3)));
    if (operation === 0x06) return answers[value as keyof typeof answers];
    else if (operation === 0x20) accumulator = data[value] ?? 0;
    else if (operation === 0x54) accumulator &= value;
    else if (operation === 0x15) jump(accumulator === value);
    else if (operation === 0x35) jump(accumulator >= value);
    else if (operation === 0x45) jump((accumulator & value) !== 0);
    else throw new Error(`unknown instruction ${operation}`);
  }
  throw new Error('the filter has no end');
}

describe.each([
  ['x64', { read: 0, socketpair: 53, execve: 59, socket: 41, ptrace: 101, clone: 56, mmap: 9 }],
  ['arm64', { read: 63, socketpair: 199, execve: 221, socket: 198, ptrace: 117, clone: 220, mmap: 222 }],
] as const)('on %s', (architecture, numbers) => {
  const verdict = (number: number, ...values: number[]) =>
    verdictOn(architecture, { number, arguments: values });

  test('system calls that rendering needs are allowed', () => {
    expect([numbers.read, numbers.socketpair, numbers.execve].map((number) => verdict(number))).toEqual([
      'allow',
      'allow',
      'allow',
    ]);
  });

  test('sockets, tracing and io_uring are refused', () => {
    expect([numbers.socket, numbers.ptrace, 425].map((number) => verdict(number))).toEqual([
      'EPERM',
      'EPERM',
      'EPERM',
    ]);
  });

  test('a child process may be started, but not in new namespaces', () => {
    const [thread, child, newUser] = [0x3d0f00, 0x11, 0x10000011];
    expect(verdict(numbers.clone, thread)).toBe('allow');
    expect(verdict(numbers.clone, child)).toBe('allow');
    expect(verdict(numbers.clone, newUser)).toBe('EPERM');
    expect(verdict(435)).toBe('ENOSYS');
  });

  test('shared anonymous memory is refused', () => {
    const mapping = (flags: number) => verdict(numbers.mmap, 0, 4096, 3, flags);
    expect([0x22, 0x01, 0x02].map(mapping)).toEqual(['allow', 'allow', 'allow']);
    expect(mapping(0x21)).toBe('EPERM');
  });

  test('calls of another architecture end the process', () => {
    expect(verdictOn(architecture, { audit: 0x40000003, number: numbers.read })).toBe('kill');
  });
});

test('calls of the x32 interface end the process', () => {
  expect(verdictOn('x64', { number: 0x40000000 + 41 })).toBe('kill');
});

test('there is no filter for unknown architectures', () => {
  expect(seccompFilter('riscv64')).toBeUndefined();
  expect(refusedCalls).toContain('keyctl');
});
