// Runs the program once, in an instance of its own, and returns what it wrote.
// eslint-disable-next-line no-unused-vars
async function runProgram(program, args, files, wanted, note = () => {}) {
  const out = [], notes = [], written = {};
  const say = (line) => { notes.push(line); note(line); };
  let status = 3;
  try {
    const instance = await createMatchcount({
      print: (line) => out.push(line),
      printErr: say,
      instantiateWasm: (imports, use) => {
        WebAssembly.instantiate(program, imports).then((made) => use(made, program), (error) => say(`matchcount: ${error.message}`));
        return {};
      },
    });
    for (const [name, bytes] of Object.entries(files)) instance.FS.writeFile(name, bytes);
    status = instance.callMain(args);
    for (const name of wanted) {
      if (instance.FS.analyzePath(name).exists) written[name] = instance.FS.readFile(name, {encoding: 'utf8'});
    }
  } catch (error) {
    say(`matchcount: ended by the browser: ${error.message || error}`);
  }
  return {status, out: out.join('\n'), notes: notes.join('\n'), written};
}
