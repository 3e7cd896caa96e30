/**
 * Runs inside the sandbox, because programs expect a model at an HTTP address and tools behind a command.
 *
 *   relay listen SOCKET PORT COMMAND ARGS…   forwards 127.0.0.1:PORT to the socket and starts the command
 *   relay stdio SOCKET                       connects standard input and output to the socket
 */
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

const [mode, socket = '', port = '', command = '', ...args] = process.argv.slice(2);
if (mode === 'listen') {
  createServer((connection) => {
    pipeline(connection, connect(socket), connection, () => undefined);
  }).listen(Number(port), '127.0.0.1', start);
} else {
  pipeline(process.stdin, connect(socket), process.stdout, (error) => process.exit(error ? 1 : 0));
}

function start(): void {
  const child = spawn(command, args, { stdio: 'inherit' });
  child.once('exit', (code) => process.exit(code ?? 1));
  child.once('error', (error) => {
    console.error(error.message);
    process.exit(127);
  });
}
