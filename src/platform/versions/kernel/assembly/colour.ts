// Changes colours in place, without looking at neighbours.

/** Adds an amount from -255 to 255 to every byte, clipped to 0..255. */
export function add(pixels: usize, bytes: usize, amount: i32): void {
  const end = pixels + bytes;
  if (amount > 0) {
    const more = i8x16.splat(<i8>amount);
    for (; pixels < end; pixels += 16) {
      v128.store(pixels, i8x16.add_sat_u(v128.load(pixels), more));
    }
  } else {
    const less = i8x16.splat(<i8>-amount);
    for (; pixels < end; pixels += 16) {
      v128.store(pixels, i8x16.sub_sat_u(v128.load(pixels), less));
    }
  }
}

/** Replaces every byte by what stands at its place in a table of 256 bytes. */
export function lookup(pixels: usize, bytes: usize, table: usize): void {
  const end = pixels + bytes;
  for (; pixels < end; pixels += 8) {
    const eight = load<u64>(pixels);
    const low = <u32>eight;
    const high = <u32>(eight >> 32);
    store<u8>(pixels, load<u8>(table + (low & 255)));
    store<u8>(pixels, load<u8>(table + ((low >> 8) & 255)), 1);
    store<u8>(pixels, load<u8>(table + ((low >> 16) & 255)), 2);
    store<u8>(pixels, load<u8>(table + (low >> 24)), 3);
    store<u8>(pixels, load<u8>(table + (high & 255)), 4);
    store<u8>(pixels, load<u8>(table + ((high >> 8) & 255)), 5);
    store<u8>(pixels, load<u8>(table + ((high >> 16) & 255)), 6);
    store<u8>(pixels, load<u8>(table + (high >> 24)), 7);
  }
}

/**
 * Each output channel is a sum of the three channels with the weights at `weights` (nine i16, row by
 * row, of which 2 ^ bits is one; bits is 1 to 14), rounded and clipped.
 */
export function mix(pixels: usize, bytes: usize, weights: usize, bits: i32): void {
  const half = 1 << (bits - 1);
  const redFromRedGreen = i32x4.splat(load<i32>(weights));
  const redFromBlue = i32x4.splat(<i32>load<u16>(weights, 4) | (half << 16));
  const greenFromRedGreen = i32x4.splat(load<i32>(weights, 6));
  const greenFromBlue = i32x4.splat(<i32>load<u16>(weights, 10) | (half << 16));
  const blueFromRedGreen = i32x4.splat(load<i32>(weights, 12));
  const blueFromBlue = i32x4.splat(<i32>load<u16>(weights, 16) | (half << 16));
  const ones = i32x4.splat(1 << 16);
  const end = pixels + bytes;
  let next = v128.load(pixels);
  for (; pixels < end; pixels += 12) {
    const four = next;
    // Before the store below overwrites its first bytes.
    next = v128.load(pixels, 12);
    const redGreen = v128.swizzle(
      four,
      i8x16(0, -1, 1, -1, 3, -1, 4, -1, 6, -1, 7, -1, 9, -1, 10, -1),
    );
    const blueOne = v128.or(
      v128.swizzle(four, i8x16(2, -1, -1, -1, 5, -1, -1, -1, 8, -1, -1, -1, 11, -1, -1, -1)),
      ones,
    );
    const red = i32x4.shr_s(
      i32x4.add(
        i32x4.dot_i16x8_s(redGreen, redFromRedGreen),
        i32x4.dot_i16x8_s(blueOne, redFromBlue),
      ),
      bits,
    );
    const green = i32x4.shr_s(
      i32x4.add(
        i32x4.dot_i16x8_s(redGreen, greenFromRedGreen),
        i32x4.dot_i16x8_s(blueOne, greenFromBlue),
      ),
      bits,
    );
    const blue = i32x4.shr_s(
      i32x4.add(
        i32x4.dot_i16x8_s(redGreen, blueFromRedGreen),
        i32x4.dot_i16x8_s(blueOne, blueFromBlue),
      ),
      bits,
    );
    const planes = i8x16.narrow_i16x8_u(
      i16x8.narrow_i32x4_s(red, green),
      i16x8.narrow_i32x4_s(blue, blue),
    );
    v128.store(
      pixels,
      v128.swizzle(planes, i8x16(0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, -1, -1, -1, -1)),
    );
  }
}

/**
 * Turns the hue on the circle of HSV, where six sextants of 65,536 are a full turn; lightest and
 * darkest channel stay as they are.
 */
export function rotateHue(pixels: usize, bytes: usize, turn: i32): void {
  const end = pixels + bytes;
  for (; pixels < end; pixels += 3) {
    const red = <i32>load<u8>(pixels);
    const green = <i32>load<u8>(pixels, 1);
    const blue = <i32>load<u8>(pixels, 2);
    const most = max(red, max(green, blue));
    const least = min(red, min(green, blue));
    const chroma = most - least;
    if (chroma === 0) continue;
    let place: i32;
    if (most === red) place = green - blue;
    else if (most === green) place = 2 * chroma + blue - red;
    else place = 4 * chroma + red - green;
    if (place < 0) place += 6 * chroma;
    // In 65,536ths: at most 12 x 255 x 65,536.
    const sextant = chroma << 16;
    let hue = (place << 16) + chroma * turn;
    if (hue >= 6 * sextant) hue -= 6 * sextant;
    let number = 0;
    if (hue >= 3 * sextant) {
      hue -= 3 * sextant;
      number = 3;
    }
    if (hue >= sextant) {
      hue -= sextant;
      number++;
    }
    if (hue >= sextant) {
      hue -= sextant;
      number++;
    }
    const part = (hue + 32768) >> 16;
    const between = (number & 1) === 0 ? least + part : most - part;
    let to: i32;
    if (number === 0) to = most | (between << 8) | (least << 16);
    else if (number === 1) to = between | (most << 8) | (least << 16);
    else if (number === 2) to = least | (most << 8) | (between << 16);
    else if (number === 3) to = least | (between << 8) | (most << 16);
    else if (number === 4) to = between | (least << 8) | (most << 16);
    else to = most | (least << 8) | (between << 16);
    store<u16>(pixels, <u16>to);
    store<u8>(pixels, <u8>(to >> 16), 2);
  }
}
