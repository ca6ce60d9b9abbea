// The entry of the workflow bundle: every export is a workflow.
export { drill } from './drill.js';
