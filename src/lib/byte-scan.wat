;; Finds a short text in bytes that lie in this module's memory, 128 of them at a time.
;;
;; Two bytes of the text, chosen for being rare, are compared at once ("packed pair"); where both are right the rest is
;; compared byte by byte. A mask of bits for each byte of the text is set in what is compared with it, which makes an
;; ASCII letter match in either case.
;;
;; Letters outside ASCII can stand for letters of the text (é for e, ﬁ for fi, a combining accent for nothing). Which
;; ones they are, this module does not know; it gives places where such a character fills a gap in the text exactly
;; ("loose" ones), and the caller looks at them.
;;
;; Built into byte-scan.gen.ts by scripts/gen-byte-scan.mjs.
(module
  (memory (export "memory") 11)

  ;; 256 entries of 64 bits, by first byte of a character: which second bytes make it one that can stand for a letter.
  (global $table i32 (i32.const 1024))
  ;; First byte that may be looked at.
  (global $base i32 (i32.const 65536))
  ;; Whether the place found last is a loose one.
  (global $loose (export "loose") (mut i32) (i32.const 0))
  ;; Whether any byte outside ASCII was met; reset by the caller.
  (global $high (export "high") (mut i32) (i32.const 0))

  (func $lower (param $byte i32) (result i32)
    (select
      (i32.or (local.get $byte) (i32.const 32))
      (local.get $byte)
      (i32.lt_u (i32.sub (local.get $byte) (i32.const 65)) (i32.const 26))))

  ;; Whether the text stands at $at. Text at $text, its masks behind it.
  (func $stands (param $at i32) (param $text i32) (param $length i32) (result i32)
    (local $k i32)
    (loop $next
      (if (i32.ne
            (i32.or
              (i32.load8_u (i32.add (local.get $at) (local.get $k)))
              (i32.load8_u (i32.add (i32.add (local.get $text) (local.get $length)) (local.get $k))))
            (i32.load8_u (i32.add (local.get $text) (local.get $k))))
        (then (return (i32.const 0))))
      (local.set $k (i32.add (local.get $k) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $k) (local.get $length))))
    (i32.const 1))

  ;; Bytes of the character at $at if it can stand for a letter, else 0.
  (func $foldable (param $at i32) (result i32)
    (local $first i32) (local $second i32)
    (local.set $first (i32.load8_u (local.get $at)))
    (local.set $second (i32.load8_u offset=1 (local.get $at)))
    (if (i32.lt_u (local.get $first) (i32.const 0xc2)) (then (return (i32.const 0))))
    (if (i32.ne (i32.and (local.get $second) (i32.const 0xc0)) (i32.const 0x80)) (then (return (i32.const 0))))
    (if (i64.eqz
          (i64.and
            (i64.load (i32.add (global.get $table) (i32.shl (local.get $first) (i32.const 3))))
            (i64.shl (i64.const 1) (i64.extend_i32_u (i32.and (local.get $second) (i32.const 0x3f))))))
      (then (return (i32.const 0))))
    (if (i32.lt_u (local.get $first) (i32.const 0xe0)) (then (return (i32.const 2))))
    (if (i32.lt_u (local.get $first) (i32.const 0xf0)) (then (return (i32.const 3))))
    ;; Emoji share their first two bytes with letters in squares: U+1F100 to U+1F1FF.
    (if (i32.eq (local.get $second) (i32.const 0x9f))
      (then
        (if (i32.gt_u
              (i32.sub (i32.load8_u offset=2 (local.get $at)) (i32.const 0x84))
              (i32.const 3))
          (then (return (i32.const 0))))))
    (i32.const 4))

  ;; Whether the text could stand around the character of $width bytes at $at, if that stood for whatever is missing:
  ;; for nothing, or for up to four letters. Another character outside ASCII fits everywhere.
  (func $fits (param $at i32) (param $width i32) (param $end i32) (param $text i32) (param $length i32) (result i32)
    (local $k i32) (local $m i32) (local $p i32) (local $byte i32) (local $gap i32)
    (loop $split
      ;; The first $k letters before the character …
      (block $mismatch
        (local.set $m (local.get $k))
        (local.set $p (local.get $at))
        (block $fitting
          (loop $back
            (br_if $fitting (i32.eqz (local.get $m)))
            (local.set $m (i32.sub (local.get $m) (i32.const 1)))
            (local.set $p (i32.sub (local.get $p) (i32.const 1)))
            (br_if $mismatch (i32.lt_u (local.get $p) (global.get $base)))
            (local.set $byte (i32.load8_u (local.get $p)))
            (br_if $fitting (i32.ge_u (local.get $byte) (i32.const 0x80)))
            (br_if $mismatch
              (i32.ne (call $lower (local.get $byte)) (i32.load8_u (i32.add (local.get $text) (local.get $m)))))
            (br $back)))
        ;; … and the rest behind it, up to four letters left out.
        (local.set $gap (i32.const 0))
        (loop $gaps
          (block $otherwise
            (local.set $m (i32.add (local.get $k) (local.get $gap)))
            (br_if $mismatch (i32.gt_u (local.get $m) (local.get $length)))
            (local.set $p (i32.add (local.get $at) (local.get $width)))
            (loop $on
              (if (i32.ge_u (local.get $m) (local.get $length)) (then (return (i32.const 1))))
              (br_if $otherwise (i32.ge_u (local.get $p) (local.get $end)))
              (local.set $byte (i32.load8_u (local.get $p)))
              (if (i32.ge_u (local.get $byte) (i32.const 0x80)) (then (return (i32.const 1))))
              (br_if $otherwise
                (i32.ne (call $lower (local.get $byte)) (i32.load8_u (i32.add (local.get $text) (local.get $m)))))
              (local.set $m (i32.add (local.get $m) (i32.const 1)))
              (local.set $p (i32.add (local.get $p) (i32.const 1)))
              (br $on)))
          (local.set $gap (i32.add (local.get $gap) (i32.const 1)))
          (br_if $gaps (i32.le_u (local.get $gap) (i32.const 4)))))
      (local.set $k (i32.add (local.get $k) (i32.const 1)))
      (br_if $split (i32.le_u (local.get $k) (local.get $length))))
    (i32.const 0))

  ;; Among the places marked in $bits, counted from $from: one where the text stands, or -1.
  (func $exact (param $bits i32) (param $from i32) (param $end i32) (param $text i32) (param $length i32) (result i32)
    (local $at i32)
    (block $none
      (loop $next
        (br_if $none (i32.eqz (local.get $bits)))
        (local.set $at (i32.add (local.get $from) (i32.ctz (local.get $bits))))
        (if (i32.and
              (i32.ge_s (local.get $at) (global.get $base))
              (i32.le_u (i32.add (local.get $at) (local.get $length)) (local.get $end)))
          (then
            (if (call $stands (local.get $at) (local.get $text) (local.get $length))
              (then (return (local.get $at))))))
        (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
        (br $next)))
    (i32.const -1))

  ;; Among the 16 bytes at $from: one that begins a loose place, or -1.
  (func $loosely (param $from i32) (param $end i32) (param $text i32) (param $length i32) (result i32)
    (local $bits i32) (local $at i32) (local $width i32)
    (local.set $bits (i8x16.bitmask (v128.load (local.get $from))))
    (block $none
      (loop $next
        (br_if $none (i32.eqz (local.get $bits)))
        (local.set $at (i32.add (local.get $from) (i32.ctz (local.get $bits))))
        (br_if $none (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $width (call $foldable (local.get $at)))
        (if (local.get $width)
          (then
            (if (call $fits (local.get $at) (local.get $width) (local.get $end) (local.get $text) (local.get $length))
              (then (return (local.get $at))))))
        (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
        (br $next)))
    (i32.const -1))
BLOCKS
)
