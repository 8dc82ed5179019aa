// Bits, powers and signs of numbers; and what a compile that is to give the same every time has no answer for.
#include <cmath>

#include "base/text.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/yaql/evaluator.hpp"

namespace hearth::metadata::yaql {

namespace {

[[noreturn]] void too_big() { throw Fault("OverflowError", "this number is beyond 64 bits"); }

/// A whole number that must be there; true and false are none.
std::int64_t whole(const Call& call, std::size_t place) {
  if (!call.has(place)) call.mismatch();
  return call.integer(place);
}

Value number(const Call& call, std::size_t place) {
  const Item item = call.has(place) ? call.at(place) : Item();
  const bool fits = item.type == Item::Type::plain && item.value.is_number() && !item.value.is_bool();
  if (!fits) call.mismatch();
  return item.value;
}

Item bitwise_and(const Call& call) { return Value::integer(whole(call, 0) & whole(call, 1)); }
Item bitwise_or(const Call& call) { return Value::integer(whole(call, 0) | whole(call, 1)); }
Item bitwise_xor(const Call& call) { return Value::integer(whole(call, 0) ^ whole(call, 1)); }
Item bitwise_not(const Call& call) { return Value::integer(~whole(call, 0)); }

std::int64_t shift_of(const Call& call) {
  const std::int64_t count = whole(call, 1);
  if (count < 0) throw value_fault("negative shift count");
  return count;
}

Item shift_left(const Call& call) {
  const std::int64_t value = whole(call, 0);
  const std::int64_t count = shift_of(call);
  std::int64_t result = 0;
  if (value == 0) return Value::integer(0);
  if (count > 62 || __builtin_mul_overflow(value, std::int64_t{1} << count, &result)) too_big();
  return Value::integer(result);
}

Item shift_right(const Call& call) {
  const std::int64_t value = whole(call, 0);
  return Value::integer(value >> std::min<std::int64_t>(shift_of(call), 63));
}

std::int64_t power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) too_big();
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) too_big();
  }
  return result;
}

/// pow(a, b, c): with the remainder by c, whose sign it has, as in Python.
std::int64_t power_of_rest(std::int64_t base, std::int64_t exponent, std::int64_t modulus) {
  if (modulus == 0) throw value_fault("pow() 3rd argument cannot be 0");
  const __int128 divisor = modulus;
  __int128 result = 1;
  for (__int128 factor = base % divisor; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = result * factor % divisor;
    factor = factor * factor % divisor;
  }
  result %= divisor;
  if (result != 0 && (result < 0) != (divisor < 0)) result += divisor;
  return static_cast<std::int64_t>(result);
}

Item to_power(const Call& call) {
  const Value base = number(call, 0);
  const Value exponent = number(call, 1);
  const bool integers = base.kind() == Kind::integer && exponent.kind() == Kind::integer;
  if (call.has(2) && !call.at(2).value.is_null()) {
    const Value modulus = number(call, 2);
    if (!integers || modulus.kind() != Kind::integer)
      throw type_fault("pow() 3rd argument not allowed unless all arguments are integers");
    if (exponent.as_integer() < 0) throw value_fault("base is not invertible for the given modulus");
    return Value::integer(power_of_rest(base.as_integer(), exponent.as_integer(), modulus.as_integer()));
  }
  if (integers && exponent.as_integer() >= 0) return Value::integer(power(base.as_integer(), exponent.as_integer()));
  if (base.as_real() == 0 && exponent.as_real() < 0)
    throw Fault("ZeroDivisionError", "0.0 cannot be raised to a negative power");
  const double result = std::pow(base.as_real(), exponent.as_real());
  if (std::isinf(result) && std::isfinite(base.as_real()) && std::isfinite(exponent.as_real()))
    throw Fault("OverflowError", "(34, 'Numerical result out of range')");
  return Value::real(result);
}

Item sign(const Call& call) {
  const double value = number(call, 0).as_real();
  return Value::integer(value > 0 ? 1 : value < 0 ? -1 : 0);
}

Item refused(const Call& call) {
  throw Fault("NotSupportedException",
              cat("the yaql function ", call.name,
                  "() is not answered, since what is compiled is the same every time: give dates "
                  "as parameters, and have random texts of OS::Heat::RandomString"));
}

Item no_date(const Call& call) {
  (void)call.at(0);
  return Value::boolean(false);
}

}  // namespace

const std::vector<Library>& number_library() {
  static const std::vector<Library> library = {{"bitwiseAnd", Form::function, bitwise_and},
                                               {"bitwiseOr", Form::function, bitwise_or},
                                               {"bitwiseXor", Form::function, bitwise_xor},
                                               {"bitwiseNot", Form::function, bitwise_not},
                                               {"shiftBitsLeft", Form::function, shift_left},
                                               {"shiftBitsRight", Form::function, shift_right},
                                               {"pow", Form::function, to_power},
                                               {"sign", Form::function, sign},
                                               {"isDatetime", Form::function, no_date},
                                               {"isTimespan", Form::function, no_date},
                                               {"random", Form::function, refused},
                                               {"now", Form::function, refused},
                                               {"datetime", Form::function, refused},
                                               {"timespan", Form::function, refused},
                                               {"localtz", Form::function, refused},
                                               {"utctz", Form::function, refused}};
  return library;
}

}  // namespace hearth::metadata::yaql
