/**
 * What a step that is already done says about itself.
 *
 * @typedef {object} Done
 * @property {string} detail            shown on its line
 * @property {Record<string, string>} [env] variables that programs started later need
 */

/**
 * One thing a machine needs before Mayhem runs there.
 *
 * @typedef {object} Step
 * @property {string} name
 * @property {() => Promise<Done | undefined>} check cheap and truthful: undefined when the step has to be done
 * @property {() => Promise<void>} install           does it; throws SetupError when it must not or cannot
 */

/**
 * Runs one step and prints its line: `ok` when there was nothing to do.
 *
 * @param {Step} step
 * @param {(line: string) => void} log
 * @returns {Promise<Record<string, string>>} the variables it asks for
 */
export async function runStep(step, log) {
  const present = await step.check();
  if (present) {
    log(`ok  ${step.name} ${present.detail}`);
    return present.env ?? {};
  }
  log(`..  ${step.name}: installing`);
  const startedMs = performance.now();
  await step.install();
  const done = await step.check();
  if (!done) throw new Error(`${step.name}: still missing after it was installed`);
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  log(`ok  ${step.name} ${done.detail}, done in ${seconds} s`);
  return done.env ?? {};
}
