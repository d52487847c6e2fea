// Lets Node.js 24 and Deno run bot.ts without a build. `tsc` does not read this file.
export * from "./protocol.ts";
