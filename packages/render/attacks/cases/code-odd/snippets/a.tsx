#!/usr/bin/env node
import type { X } from './x';
declare const process: any;
enum Color { Red = process.env.SECRET as any }
namespace N { export const x = 1; }
@(class { static x = process })
class K { accessor y = 1; #z = 2; static { globalThis.pwned = 1; } }
using resource = null;
export const A = () => <p>{String(Color.Red)}</p>;
