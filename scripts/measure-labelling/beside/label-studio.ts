// A published tool beside the labelling page: the editor of Label Studio, in the same browser. Its
// server is not on npm: what the editor submits is kept here, and the next task given at once.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import type { LabellingTool, OpenTool } from '../day.ts';
import { Hand } from '../hand.ts';
import { dayClasses, dayPicture, type LabelledBox } from '../seed.ts';

const run = promisify(execFile);

/** The last one on npm that has its editor built. */
const version = '1.4.0';

/** Throws with what to do where the editor cannot be had. */
export async function openLabelStudio(
  browser: Browser,
  images: readonly string[],
): Promise<OpenTool> {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-label-studio-'));
  try {
    const editor = await getEditor(folder);
    return await open(browser, editor, images);
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Editor {
  readonly script: Buffer;
  readonly styles: Buffer;
}

/** Nothing of the package is run here: the browser runs it. */
async function getEditor(folder: string): Promise<Editor> {
  const wanted = `@heartexlabs/label-studio@${version}`;
  try {
    const { stdout } = await run('npm', ['pack', '--silent', wanted], { cwd: folder });
    await run('tar', ['-xzf', stdout.trim()], { cwd: folder });
  } catch (thrown) {
    const message = `npm does not give ${wanted} here: without --beside, the page is measured alone.`;
    throw new Error(message, { cause: thrown });
  }
  const built = join(folder, 'package/build/static');
  const [script, styles] = await Promise.all(
    ['js/main.js', 'css/main.css'].map((name) => readFile(join(built, name))),
  );
  if (script === undefined || styles === undefined) throw new Error(`${wanted} has no editor.`);
  return { script, styles };
}

async function open(
  browser: Browser,
  editor: Editor,
  images: readonly string[],
): Promise<OpenTool> {
  const pictures = await Promise.all(images.map((_, at) => dayPicture(at)));
  const server = createServer(({ url = '' }, response) => {
    const at = /^\/(\d+)\.jpg$/.exec(url)?.[1];
    const [type, body] =
      at !== undefined
        ? ['image/jpeg', pictures[Number(at)]]
        : url === '/main.js'
          ? ['text/javascript', editor.script]
          : url === '/main.css'
            ? ['text/css', editor.styles]
            : ['text/html; charset=utf-8', host];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  const origin = `http://127.0.0.1:${port}`;
  await page.route(
    (url) => url.origin !== origin,
    (route) => route.abort(),
  );
  await page.goto(origin);
  await showTask(page, 0);
  return {
    tool: toolOf(page, images),
    close: async () => {
      await context.close();
      server.close();
    },
  };
}

/** The page around it, as its documentation tells; a class stays chosen, by its own setting. */
const host = `<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="main.css">
<div id="editor"></div><script src="main.js"></script><script>
const kept = [];
const isDrawn = (count) => {
  const { regions, highlightedNode, isDrawing } = window.store.annotationStore.selected;
  return regions.length === count && !highlightedNode && !isDrawing;
};
const start = (id) => new LabelStudio('editor', {
  config: '<View><Image name="img" value="$image"/><RectangleLabels name="tag" toName="img">' +
    ${JSON.stringify(dayClasses.map((name) => `<Label value="${name}"/>`).join(''))} +
    '</RectangleLabels></View>',
  interfaces: ['panel', 'update', 'submit', 'controls', 'side-column', 'topbar'],
  settings: { continuousLabeling: true },
  task: { id, annotations: [], predictions: [], data: { image: '/' + id + '.jpg' } },
  onLabelStudioLoad: (store) => {
    window.store = store;
    const { annotationStore } = store;
    annotationStore.selectAnnotation(annotationStore.addAnnotation({ userGenerate: true }).id);
  },
  onSubmitAnnotation: (store, annotation) => {
    kept[id] = annotation.serializeAnnotation();
  },
});
</script>`;

/** Resolves once its picture and what lies on it are there. */
async function showTask(page: Page, at: number): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    if (window.editor) window.editor.destroy?.();
    window.editor = start(${at});
    const look = () => {
      const photo = document.querySelector('#editor img[src$="/${at}.jpg"]');
      if (photo?.complete && photo.naturalWidth > 0 && document.querySelector('#editor canvas'))
        requestAnimationFrame(resolve);
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

/**
 * A class is chosen for each image, and stays chosen. A drag that begins on any box moves that box,
 * but with Control.
 */
function toolOf(page: Page, images: readonly string[]): LabellingTool {
  const hand = new Hand(page);
  let [shown, drawn, chosen] = [0, 0, ''];
  return {
    name: `Label Studio ${version}, its editor`,
    hand,
    current: async () => images[shown] ?? '',
    picture: async () => {
      const place = await page.locator('#editor canvas').first().boundingBox();
      if (place === null) throw new Error('There is no picture.');
      return { left: place.x, top: place.y, width: place.width, height: place.height };
    },
    before: async (box) => {
      if (box.class !== chosen) await hand.press(String(dayClasses.indexOf(box.class) + 1));
      chosen = box.class;
    },
    // A key that comes before the box is finished changes its class.
    after: async () => {
      drawn += 1;
      await page.waitForFunction(`isDrawn(${drawn})`);
    },
    inTheWay: (drawn) => drawn,
    wayOut: { held: 'Control' },
    next: async () => {
      await hand.press('Control+Enter');
      await page.waitForFunction(`kept[${shown}] !== undefined`);
      shown += 1;
      [drawn, chosen] = [0, ''];
      if (shown < images.length) await showTask(page, shown);
    },
    stored: async () => {
      const kept: readonly (readonly Region[])[] = JSON.parse(
        String(await page.evaluate('JSON.stringify(kept)')),
      );
      return new Map(images.map((name, at) => [name, (kept[at] ?? []).map(boxOf)]));
    },
  };
}

/** In percent of the picture. */
interface Region {
  readonly value: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
    readonly rectanglelabels: readonly string[];
  };
}

function boxOf({ value: { x, y, width, height, rectanglelabels: labels } }: Region): LabelledBox {
  return {
    class: labels[0] ?? '',
    left: x * 6.4,
    top: y * 4.8,
    width: width * 6.4,
    height: height * 4.8,
  };
}
