// In place of bowser, which the AWS SDK loads in browsers alone, to read the name of the browser.

export function parse(): undefined {}
