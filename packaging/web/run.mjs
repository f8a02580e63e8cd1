// Runs the program that is inside a page as the program itself is run: node run.mjs PAGE ARGUMENTS..., files by their names.
import {existsSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {gunzipSync} from 'node:zlib';

const [page, ...args] = process.argv.slice(2);
const text = readFileSync(page, 'utf8');
const inside = (id) => text.split(`<script type="text/plain" id="${id}">`)[1].split('</script>')[0];
const runProgram = new Function('require', '__filename', '__dirname', inside('engine') + '\nreturn runProgram;')(createRequire(import.meta.url), '', '');
const program = await WebAssembly.compile(gunzipSync(Buffer.from(inside('program'), 'base64')));
const names = args.filter((name) => existsSync(name) && statSync(name).isFile());
const files = Object.fromEntries(names.map((name, i) => [`file${i}-${name.split('/').pop()}`, readFileSync(name)]));
const renamed = args.map((name) => names.includes(name) ? Object.keys(files)[names.indexOf(name)] : name);
const svg = args[args.indexOf('--svg') + 1];
const {status, out, notes, written} = await runProgram(program, renamed, files, args.includes('--svg') ? [svg] : []);
if (written[svg]) writeFileSync(svg, written[svg]);
if (out) process.stdout.write(out + '\n');
if (notes) process.stderr.write(notes + '\n');
process.exitCode = status;
